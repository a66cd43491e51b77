import Glibc

/// Writes out what `print` has collected.
func flushStandardOutput() {
    // nil means every stream; naming `stdout` would touch a global variable that C declares mutable.
    fflush(nil)
}
