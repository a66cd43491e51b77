/// Asks for a page of the unfinished transactions of several devices (``PaymentEndpoints/unfinishedLists``).
///
/// ```json
/// {"lists":[{"bundleId":"com.example.app","countsDelivery":false,"customerIdentifier":"…","deviceId":"a","limit":100}]}
/// ```
public struct UnfinishedListsRequest: Hashable, Sendable, Codable {
    /// Pages in one request, at most.
    public static let listsMax = 32

    /// At most ``listsMax``. None counts as a delivery or opens a stream.
    public var lists: [SnapshotRequest]
    /// Checks the bound, and that every page is a list's.
    ///
    /// - Throws: `requestInvalid`.
    public func validate() throws(StoreError) {
        guard lists.count <= Self.listsMax else {
            throw StoreError(
                .requestInvalid, "lists: has \(lists.count) of them; \(Self.listsMax) are allowed")
        }
        guard lists.allSatisfy({ !$0.countsDelivery && $0.opening == nil }) else {
            throw StoreError(.requestInvalid, "lists: use queue.snapshot for a delivery")
        }
    }
}

/// Pages of unfinished transactions, each as the text that a client receives.
///
/// `lengths` are those of the pages' texts in bytes, so that a caller forwards a page without decoding it:
///
/// ```json
/// {"lengths":[19,4],"pages":[{"transactions":[]},null]}
/// ```
public struct UnfinishedLists: Hashable, Sendable, Codable, ReadFromBytes {
    /// In the request's order: `{"after":"…","transactions":[…]}`, or nil for a page that the caller must ask for
    /// alone.
    ///
    /// Only the first ones if more do not fit into one message of the bus.
    public var pages: [ArraySlice<UInt8>?]
    public init(pages: [ArraySlice<UInt8>?]) { self.pages = pages }

    private static let absent = ArraySlice("null".utf8)

    public init(reading bytes: [UInt8]) throws(StoreError) {
        var reader = PieceReader(bytes)
        do throws(PieceReader.Fault) {
            var lengths: [Int] = []
            try reader.skip(#"{"lengths":["#)
            while let length = try reader.length(isFirst: lengths.isEmpty) { lengths.append(length) }
            try reader.skip(#"],"pages":["#)
            pages = []
            pages.reserveCapacity(lengths.count)
            for (index, length) in lengths.enumerated() {
                if index > 0 { try reader.skip(",") }
                let page = try reader.take(length)
                pages.append(page == Self.absent ? nil : page)
            }
            try reader.skip("]}")
            try reader.end()
        } catch {
            throw StoreError(.requestInvalid, "the pages do not have the announced lengths")
        }
    }

    public init(from decoder: any Decoder) throws { try self.init(reading: Array(try RawJSON(from: decoder).bytes)) }

    public func encode(to encoder: any Encoder) throws { try EncodedJSON(bytes: bytes).encode(to: encoder) }

    private var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pages.reduce(64) { $0 + ($1?.count ?? 4) + 8 })
        bytes.append(contentsOf: #"{"lengths":["#.utf8)
        for (index, page) in pages.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: "\((page ?? Self.absent).count)".utf8)
        }
        bytes.append(contentsOf: #"],"pages":["#.utf8)
        for (index, page) in pages.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: page ?? Self.absent)
        }
        bytes.append(contentsOf: "]}".utf8)
        return bytes
    }
}

/// A reply that is read from its bytes, without the decoder.
public protocol ReadFromBytes: Sendable {
    /// Reads a reply.
    ///
    /// - Throws: `requestInvalid` for bytes of another form.
    init(reading bytes: [UInt8]) throws(StoreError)
}

/// Reads known text and pieces of known length.
private struct PieceReader {
    struct Fault: Error {}

    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ text: StaticString) throws(Fault) {
        let piece = try take(text.utf8CodeUnitCount)
        guard piece.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) else {
            throw Fault()
        }
    }

    mutating func take(_ count: Int) throws(Fault) -> ArraySlice<UInt8> {
        guard count <= bytes.count - index else { throw Fault() }
        defer { index += count }
        return bytes[index..<index + count]
    }

    /// Reads the next number of a list, behind its comma. Nil at the list's end.
    mutating func length(isFirst: Bool) throws(Fault) -> Int? {
        guard index < bytes.count, bytes[index] != UInt8(ascii: "]") else { return nil }
        if !isFirst { try skip(",") }
        let start = index
        var length = 0
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
            length = length * 10 + Int(bytes[index] - UInt8(ascii: "0"))
            guard length <= bytes.count else { throw Fault() }
            index += 1
        }
        guard index > start else { throw Fault() }
        return length
    }

    func end() throws(Fault) { guard index == bytes.count else { throw Fault() } }
}
