import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A receipt as somebody has it in a file.
enum ReceiptText {
    /// More than a receipt of a hundred thousand purchases takes.
    static let byteCountMax = 64 * 1024 * 1024

    /// The base64 a server sends on, of base64 with or without white space, of the binary receipt, or of a document that
    /// has it as `receiptData`.
    ///
    /// - Parameter name: of the file, for the error.
    /// - Throws: `receiptUnreadable` for an empty file and for a document without a receipt.
    static func receiptData(_ bytes: [UInt8], _ name: String) throws(CLIError) -> String {
        // A sequence's tag, with which every binary receipt begins, is the digit 0 in ASCII; the byte behind it, the
        // length in more than one byte, is no text.
        if bytes.count > 1, bytes[0] == 0x30, bytes[1] >= 0x80 { return Data(bytes).base64EncodedString() }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if text.hasPrefix("{") {
            let document = try? StrictJSON.parse(bytes)
            guard let receipt = (document?["data"] ?? document)?["receiptData"]?.stringValue else {
                throw unreadable("\(name) has no receiptData")
            }
            return receipt
        }
        guard !text.isEmpty else { throw unreadable("\(name) is empty") }
        return text
    }

    private static func unreadable(_ message: String) -> CLIError {
        CLIError(.receiptUnreadable, message, hints: ["a receipt: storebus receipt --as ACCOUNT > receipt.b64"])
    }
}
