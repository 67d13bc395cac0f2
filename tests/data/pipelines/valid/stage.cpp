// The function that two-kernels.yaml names; check looks for no more than its name.
extern "C" int first_byte(const unsigned char* packet, const unsigned long* params);
