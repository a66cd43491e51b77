import StoreModels

/// The format and size of an image, from its first bytes. Its name and media type are not trusted.
struct ImageHeader: Hashable, Sendable {
    let format: PromotionImage.Format
    let width: Int
    let height: Int

    /// `800×600, PNG`
    var description: String { "\(width)×\(height), \(format.rawValue.uppercased())" }
}

extension ImageHeader {
    /// Reads the header. Nil for bytes of neither a PNG nor a JPEG, and for an incomplete header.
    init?(_ bytes: [UInt8]) {
        if bytes.starts(with: Self.pngSignature) {
            guard let size = Self.pngSize(bytes) else { return nil }
            self.init(format: .png, width: size.width, height: size.height)
        } else {
            guard bytes.starts(with: [0xFF, 0xD8]), let size = Self.jpegSize(bytes) else { return nil }
            self.init(format: .jpeg, width: size.width, height: size.height)
        }
    }

    // MARK: PNG (W3C, PNG 3rd edition, 5.2 and 11.2.1)

    private static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Reads the first chunk, IHDR: its length, name, width and height of four bytes each.
    private static func pngSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        guard bytes.count >= 33, number(bytes[8..<12]) == 13, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            return nil
        }
        return (number(bytes[16..<20]), number(bytes[20..<24]))
    }

    // MARK: JPEG (ITU-T T.81, annex B)

    /// Reads segments up to the first frame header. That has a length of two bytes, a precision of one, and height and
    /// width of two each.
    private static func jpegSize(_ bytes: [UInt8]) -> (width: Int, height: Int)? {
        var position = 2
        while position + 1 < bytes.count, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            // Fill bytes before a marker.
            if marker == 0xFF {
                position += 1
                continue
            }
            position += 2
            if standsAlone(marker) { continue }
            // Pixels, or the end, before any frame header.
            guard marker != 0xDA, marker != 0xD9, position + 2 <= bytes.count else { return nil }
            let length = number(bytes[position..<position + 2])
            guard length >= 2 else { return nil }
            if isFrame(marker) {
                guard length >= 8, position + 7 <= bytes.count else { return nil }
                return (number(bytes[position + 5..<position + 7]), number(bytes[position + 3..<position + 5]))
            }
            position += length
        }
        return nil
    }

    /// Whether a marker has no length: the restarts and TEM.
    private static func standsAlone(_ marker: UInt8) -> Bool { marker == 0x01 || (0xD0...0xD7).contains(marker) }

    /// Whether a marker is SOF0 to SOF15. DHT, JPG and DAC lie between them.
    private static func isFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
    }

    /// Reads a big-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
