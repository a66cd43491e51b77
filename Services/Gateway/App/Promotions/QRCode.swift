import CQREncode

/// A text as a QR code (ISO/IEC 18004), drawn in SVG. The error correction level is M, which suffices on a screen.
struct QRCode {
    /// The width of the white margin in modules, as the standard requires.
    static let quietZone = 4

    /// The modules of one side.
    let width: Int
    /// The modules row by row. True is black.
    private let modules: [Bool]

    /// Encodes a text. Nil for empty text, and for more than 2331 bytes, the capacity of such a code.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else {
            return nil
        }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        // The lowest bit is the colour; the others are internal to the library.
        modules = UnsafeBufferPointer(start: code.pointee.data, count: width * width).map { $0 & 1 == 1 }
    }

    func isBlack(row: Int, column: Int) -> Bool { modules[row * width + column] }

    /// Draws one path for all black modules, a rectangle for each run.
    /// - Parameter title: The image's text alternative.
    func svg(title: String) -> String {
        let side = width + 2 * Self.quietZone
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" width="\(side * 8)" \
            height="\(side * 8)" shape-rendering="crispEdges" role="img"><title>\(Self.escaped(title))</title>\
            <path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/><path fill="#000" d="\(path)"/></svg>
            """
    }

    private var path: String {
        (0..<width).flatMap { row in
            runs(in: row).map { run in
                "M\(run.lowerBound + Self.quietZone) \(row + Self.quietZone)h\(run.count)v1h-\(run.count)z"
            }
        }.joined()
    }

    private func runs(in row: Int) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for column in 0..<width where isBlack(row: row, column: column) {
            if let last = runs.last, last.upperBound == column {
                runs[runs.count - 1] = last.lowerBound..<column + 1
            } else {
                runs.append(column..<column + 1)
            }
        }
        return runs
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
