/// The remaining output of a connection that is sent in pieces.
struct ChaosSlices {
    /// Maximum number of pieces of one message.
    static let piecesMax = 16
    private static let pieceBytesMin = 3

    private(set) var bytes: [UInt8] = []
    private var pieceBytes = 0
    /// How the socket is closed after the last piece. Nil keeps it open.
    private(set) var ending: Ending?

    /// Adds output.
    mutating func append(_ more: [UInt8], ending: Ending?) {
        bytes += more
        self.ending = ending ?? self.ending
        pieceBytes = max(Self.pieceBytesMin, pieceBytes, (bytes.count + Self.piecesMax - 1) / Self.piecesMax)
    }

    /// Removes and returns the next piece.
    mutating func next() -> [UInt8] {
        let piece = Array(bytes.prefix(pieceBytes))
        bytes.removeFirst(piece.count)
        return piece
    }
}
