/// Values as libpq takes them: one array of bytes, and each value's place in it.
///
/// Numbers go as text, because the server decides how wide they are. Text and bytes go unchanged, with their length, so
/// that the server sees a NUL inside and refuses it instead of cutting the value off.
struct PostgresArguments {
    private var bytes: [UInt8] = []
    /// The place where a value begins. Nil is NULL.
    private var offsets: [Int?] = []
    private(set) var lengths: [CInt] = []
    private(set) var formats: [CInt] = []

    init(_ values: [SQLValue]) {
        offsets.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        formats.reserveCapacity(values.count)
        for value in values { append(value) }
    }

    private mutating func append(_ value: SQLValue) {
        let start = bytes.count
        switch value {
        case .null: break
        case .integer(let number): bytes += String(number).utf8
        case .real(let number): bytes += "\(number)".utf8
        case .text(let text): bytes += text.utf8
        case .blob(let blob): bytes += blob
        }
        offsets.append(value == .null ? nil : start)
        lengths.append(CInt(bytes.count - start))
        switch value {
        case .text, .blob: formats.append(1)
        default: formats.append(0)
        }
        // Numbers are read up to here.
        bytes.append(0)
    }

    /// Calls `body` with an address for each value, nil for NULL.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                body(offsets.map { offset in offset.map { characters.baseAddress! + $0 } })
            }
        }
    }
}
