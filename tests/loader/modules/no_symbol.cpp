// A library that is no device module.
extern "C" __attribute__((visibility("default"))) int something_else() {
  return 1;
}
