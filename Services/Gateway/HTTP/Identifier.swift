import StoreModels

/// Checks names that somebody else chose. They are data everywhere: never a subject token, a file name or a piece of
/// SQL (S13), so the rules only keep out what nobody means: nothing at all, control characters, endless text.
enum Identifier {
    /// - Throws: `requestInvalid` that names `place`.
    static func check(
        _ text: String, at place: String, lengthMax: Int = HTTPLimits.identifierLengthMax
    ) throws(StoreError) {
        guard !text.isEmpty else { throw .invalid(place, "must not be empty") }
        guard text.unicodeScalars.count <= lengthMax else {
            throw .invalid(place, "must be at most \(lengthMax) characters long")
        }
        guard !text.unicodeScalars.contains(where: isControl) else {
            throw .invalid(place, "must not contain control characters")
        }
    }

    /// A bundle identifier as Catalog takes them: letters, digits, `.` and `-`.
    static func checkBundle(_ text: String, at place: String) throws(StoreError) {
        try check(text, at: place, lengthMax: HTTPLimits.bundleLengthMax)
        guard text.utf8.allSatisfy(isBundleByte) else {
            throw .invalid(place, "may only contain letters, digits, '.' and '-'")
        }
    }

    /// Product identifiers of one request, at most 500.
    static func checkProducts(_ identifiers: [String], at place: String) throws(StoreError) {
        guard identifiers.count <= HTTPLimits.identifiersMax else {
            throw .invalid(
                place, "has \(identifiers.count) identifiers, at most \(HTTPLimits.identifiersMax) are allowed")
        }
        for (index, identifier) in identifiers.enumerated() { try check(identifier, at: "\(place)[\(index)]") }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }

    private static func isBundleByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
