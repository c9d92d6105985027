# Every linker flag of the WebAssembly binaries, one per line, with its reason.

set(SUSURRUS_ENGINE_LINK_FLAGS
  -lembind                              # the bindings
  -fno-rtti                             # embind's own library without RTTI, as everything else here
  -sMODULARIZE=1                        # a factory, so that a page may hold several engines
  -sEXPORT_ES6=1                        # imported by bundlers and by Node alike
  -sENVIRONMENT=web,worker              # and Node: the wrapper passes the wasm in, so Emscripten's module needs no Node code
  -sFILESYSTEM=0                        # bytes come through windows; no emulated files
  -sDYNAMIC_EXECUTION=0                 # no eval: the page's Content-Security-Policy forbids it
  -sALLOW_MEMORY_GROWTH=1               # models differ in size by a factor of a hundred
  -sMEMORY_GROWTH_LINEAR_STEP=1048576   # at most 1 MiB beyond what was asked for (and no geometric growth)
  -sABORTING_MALLOC=0                   # malloc answers null and the engine reports out_of_memory
  -sINITIAL_MEMORY=2097152              # small; what is needed more is taken when it is needed
  -sMAXIMUM_MEMORY=4GB                  # all that 32-bit addresses reach
  -sSTACK_SIZE=256KB                    # no recursion over input, no large arrays on the stack
  -sMALLOC=dlmalloc                     # one thread, few large blocks; returns what it can to the top
  -sDISABLE_EXCEPTION_CATCHING=1        # the core has no exceptions
  -sTEXTDECODER=2                       # every supported browser has one: no second way to decode text
  -sINCOMING_MODULE_JS_API=instantiateWasm,wasmBinary,print,printErr,onAbort  # all the wrapper ever passes
  -sEXPORTED_RUNTIME_METHODS=HEAPU8     # the wrapper measures the memory; everything else goes through embind
  -sEXIT_RUNTIME=0                      # there is no main() whose end would end the engine
  --no-entry                            # a library
)

# Engines with threads, besides: memory that threads share. They are started by the wrapper (web/src/engine/several_threads.ts), which
# needs nothing of Emscripten's own ways for that, neither in its module nor in a file beside it.
set(SUSURRUS_THREADS_LINK_FLAGS
  -sWASM_WORKERS=1                      # shared memory, and libraries that are made for it
  -sEXPORTED_RUNTIME_METHODS=HEAPU8,wasmMemory  # threads are given the memory
  -sINCOMING_MODULE_JS_API=instantiateWasm,wasmBinary,print,printErr,onAbort,wasmMemory  # made with the maximum that the model needs
)

set(SUSURRUS_TEST_LINK_FLAGS
  -O1                                   # quick to link; tests need no small code
  -Wl,--lto-O1                          # the same for the core, which is linked with LTO
  -sENVIRONMENT=node                    # run by scripts/test.mjs
  -sNODERAWFS=1                         # cases may read files of the source tree
  -sEXIT_RUNTIME=1                      # main()'s result is the exit code
  -sALLOW_MEMORY_GROWTH=1               # as the engines
  -sMEMORY_GROWTH_LINEAR_STEP=1048576   # as the engines
  -sABORTING_MALLOC=0                   # as the engines
  -sINITIAL_MEMORY=4194304              # the cases' own memory comes on top
  -sMAXIMUM_MEMORY=4GB                  # as the engines
  -sSTACK_SIZE=1MB                      # test code may use the standard library freely
  -sDISABLE_EXCEPTION_CATCHING=1        # as the engines
)
