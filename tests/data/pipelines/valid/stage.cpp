// The function that unusual.yaml names; check looks for no more than its name.
extern "C" int first_byte(const unsigned char* packet, const unsigned long* params);
