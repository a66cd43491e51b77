import Glibc

/// The process's standard error, one whole line per write.
enum StandardError {
    /// Whether a person is watching.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes all bytes. A reader that has gone takes the line with it: there is nobody left to tell.
    static func write(_ line: [UInt8]) {
        line.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let written = Glibc.write(STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if written > 0 {
                    rest = rest.dropFirst(written)
                } else if errno != EINTR && errno != EAGAIN {
                    return
                }
            }
        }
    }

    /// Writes a line of text.
    static func write(_ text: String) { write(Array("\(text)\n".utf8)) }
}
