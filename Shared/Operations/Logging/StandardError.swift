import Glibc

/// The process's standard error, one whole line per write.
enum StandardError {
    /// Whether it is a terminal.
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes all bytes. When the reader has gone, the line is dropped.
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
