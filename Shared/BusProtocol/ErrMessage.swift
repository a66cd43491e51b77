/// `err`: something was refused. The code is the contract, the message is not.
///
/// `{"op":"err","code":"dup_sid","num":409,"message":"…","fatal":false,"re":"sub","seq":3,"sid":7}`
package struct ErrMessage: Sendable, Equatable {
    /// The code as it travelled. A newer broker may know more than we do.
    package var code: String
    /// The code's number, in the manner of HTTP statuses.
    package var num: Int
    /// A sentence for people. It is not a contract.
    package var message: String
    /// Whether the connection is closed after it.
    package var fatal: Bool
    /// The op that was refused. Nil when the error answers no frame.
    package var re: String?
    /// The `seq` of the refused frame, if it had one.
    package var seq: Int?
    /// The subscription it is about, if it is about one.
    package var sid: Int?
    /// The subject it is about, if it is about one.
    package var subject: String?

    /// The code, if this version knows it.
    package var known: BusErrorCode? { BusErrorCode(rawValue: code) }

    /// Creates the frame that the broker sends.
    /// - Parameters:
    ///   - fatal: Given when it differs from the code's own, as before the `ok` of `connect`.
    package init(
        _ code: BusErrorCode, _ message: String, fatal: Bool? = nil, re: BusOp? = nil, seq: Int? = nil,
        sid: Int? = nil, subject: String? = nil
    ) {
        self.code = code.rawValue
        num = code.num
        self.message = message
        self.fatal = fatal ?? code.isFatal
        self.re = re?.rawValue
        self.seq = seq
        self.sid = sid
        self.subject = subject
    }
}

extension ErrMessage {
    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        code = try header.text(.code, in: bytes)
        num = try header.integer(.num, in: bytes)
        message = try header.optionalText(.message, in: bytes) ?? ""
        fatal = try header.optionalFlag(.fatal) ?? BusErrorCode(rawValue: code)?.isFatal ?? true
        re = try header.optionalText(.re, in: bytes)
        seq = try header.optionalInteger(.seq, in: bytes)
        sid = try header.optionalInteger(.sid, in: bytes)
        subject = try header.optionalText(.subject, in: bytes)
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.err, into: &output)
        frame.member(.code, code, into: &output)
        frame.member(.num, num, into: &output)
        frame.member(.message, message, into: &output)
        frame.member(.fatal, fatal, into: &output)
        frame.member(.re, re, into: &output)
        frame.member(.seq, seq, into: &output)
        frame.member(.sid, sid, into: &output)
        frame.member(.subject, subject, into: &output)
        frame.finish(into: &output)
    }
}

/// An operation or frame that SBP/1 does not allow. Decoders throw it for a fault of the peer, and encoders for a fault
/// of the caller.
package struct BusViolation: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code the broker answers with.
    package var code: BusErrorCode
    /// A sentence for people. It names the member and never quotes a secret.
    package var reason: String

    /// Creates a violation found on this side.
    package init(_ code: BusErrorCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Code and reason for logs.
    package var description: String { "\(code.rawValue): \(reason)" }
}
