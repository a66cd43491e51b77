import BusProtocol
import Foundation

/// One header into the scanner: it takes exactly what a naive reader of the grammar takes, and what it takes is JSON to
/// Foundation as well. Messages that come out are the same after being written and read once more.
enum HeaderTarget {
    static func run(_ input: [UInt8]) -> CInt {
        let scanned = try? FrameHeader(scanning: input.span)
        let expected = NaiveJSON.accepts(input)
        FuzzInput.require(
            (scanned != nil) == expected, "the grammar \(expected ? "takes" : "refuses") it, and the scanner does not")
        guard let scanned else { return 0 }
        checkFoundation(input)
        checkClient(scanned, input)
        checkServer(input)
        return 0
    }

    /// Foundation refuses numbers that no `Double` holds; everything else the scanner takes is JSON to it.
    private static func checkFoundation(_ input: [UInt8]) {
        if input.contains(where: { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") }),
            String(decoding: input, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3,}/)
        {
            return
        }
        let object = try? JSONSerialization.jsonObject(with: Data(input))
        FuzzInput.require(object is [String: Any], "what the scanner takes is an object to Foundation")
    }

    private static func checkClient(_ scanned: FrameHeader, _ input: [UInt8]) {
        var written: [UInt8] = []
        switch try? ClientMessage(scanned, in: input.span, bodyCount: 0) {
        case .sub(let message):
            message.encode(into: &written)
            guard case .sub(message)? = client(written) else { return broken("sub") }
        case .unsub(let message):
            message.encode(into: &written)
            guard case .unsub(message)? = client(written) else { return broken("unsub") }
        default: return
        }
    }

    private static func checkServer(_ input: [UInt8]) {
        guard case .msg(let message)? = try? ServerMessage(input.span) else { return }
        var written: [UInt8] = []
        message.encode(into: &written)
        let header = Array(written.dropFirst(BusLimits.prefixBytes))
        guard case .msg(message)? = try? ServerMessage(header.span) else { return broken("msg") }
    }

    private static func client(_ frame: [UInt8]) -> ClientMessage? {
        let header = Array(frame.dropFirst(BusLimits.prefixBytes))
        guard let scanned = try? FrameHeader(scanning: header.span) else { return nil }
        return try? ClientMessage(scanned, in: header.span, bodyCount: 0)
    }

    private static func broken(_ op: String) {
        FuzzInput.require(false, "a \(op) that was read is the same after being written and read again")
    }
}
