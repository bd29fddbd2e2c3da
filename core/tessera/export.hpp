#pragma once

/// Marks what the core library exports; everything else in it is hidden.
/// The attribute is the same for the library's users: typeinfo of exceptions
/// must be visible on both sides for a catch by type to work.
#define TESSERA_API __attribute__((visibility("default")))
