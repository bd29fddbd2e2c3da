// The symbol is there, but gives nothing.
extern "C" __attribute__((visibility("default"))) const void* tessera_device_module() {
  return nullptr;
}
