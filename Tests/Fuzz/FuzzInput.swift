import Glibc

/// What all targets need: the input as an array, and a way to report a broken property.
enum FuzzInput {
    /// What libFuzzer hands over, copied.
    static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// Ends the process when a property does not hold; libFuzzer then keeps the input. A `precondition` would do the
    /// same without its sentence, which optimized builds leave out.
    static func require(_ holds: Bool, _ property: @autoclosure () -> String) {
        if holds { return }
        say("property broken: \(property())")
        abort()
    }

    /// Writes a line where libFuzzer writes.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }
}
