// Loads Z3 when one of its functions is called for the first time. Most questions are answered without it, and loading it
// takes longer than they do.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// One place for each function, which at first leads to `z3_on_demand`, and its name. The build script makes both.
extern void *z3_functions[];
extern const char *const z3_names[];

// Called with the number of a function; finds it, and remembers it for the next time. Two threads may do the same at the
// same time: they find the same.
void *z3_find(unsigned long number) {
  void *library = dlopen(Z3_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, z3_names[number]) : NULL;
  if (!function) {
    fprintf(stderr, "error: Z3 cannot be loaded (%s): run ./setup and build again\n", dlerror());
    // An internal error, as everywhere in this program. Nothing is half done: no answer was given yet.
    _Exit(70);
  }
  __atomic_store_n(&z3_functions[number], function, __ATOMIC_RELEASE);
  return function;
}
