// A user's stage, for files that ask it for another function.
int filter_all(void);
