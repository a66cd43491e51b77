import Dispatch
import Glibc

/// A line of a program's input, without its line feed.
enum InputLine: Hashable, Sendable {
    case line([UInt8])
    /// A line of more than ``byteCountMax`` bytes, which are dropped.
    case tooLong

    static let byteCountMax = 4 * 1024 * 1024

    /// Reads lines until the end of the input. A last one without a line feed counts.
    static func stream(of descriptor: Int32) -> AsyncStream<InputLine> {
        let (lines, sink) = AsyncStream.makeStream(of: InputLine.self)
        DispatchQueue.global().async {
            var splitter = Splitter()
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                for line in splitter.lines(chunk[..<count]) { sink.yield(line) }
            }
            if let last = splitter.rest { sink.yield(last) }
            sink.finish()
        }
        return lines
    }

    /// Divides bytes into lines, in any portions.
    struct Splitter {
        private var begun: [UInt8] = []
        private var isTooLong = false

        mutating func lines(_ bytes: ArraySlice<UInt8>) -> [InputLine] {
            var found: [InputLine] = []
            var bytes = bytes
            while let end = bytes.firstIndex(of: 0x0A) {
                take(bytes[..<end])
                found.append(isTooLong ? .tooLong : .line(begun))
                begun = []
                isTooLong = false
                bytes = bytes[(end + 1)...]
            }
            take(bytes)
            return found
        }

        /// The line that has no line feed, unless it is empty.
        var rest: InputLine? { isTooLong ? .tooLong : begun.isEmpty ? nil : .line(begun) }

        private mutating func take(_ bytes: ArraySlice<UInt8>) {
            guard !isTooLong else { return }
            isTooLong = begun.count + bytes.count > InputLine.byteCountMax
            begun = isTooLong ? [] : begun + bytes
        }
    }
}
