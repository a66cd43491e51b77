import HTTPTypes
import Hummingbird
import StoreModels

/// The format of a test URL (M107): text for a message, or a QR code to scan.
enum TestURLFormat: String, CaseIterable, Sendable {
    case text, svg

    /// Uses the format of the query, else that of `Accept`, else text.
    /// - Throws: `requestInvalid`.
    init(_ call: Call) throws(StoreError) {
        if let chosen = try call.query.choice("format", TestURLFormat.self) {
            self = chosen
            return
        }
        let accepted = call.request.headers[values: .accept].joined(separator: ",").split(separator: ",").map {
            $0.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
        }
        self = accepted.contains("image/svg+xml") && !accepted.contains("text/plain") ? .svg : .text
    }

    var contentType: String {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .svg: "image/svg+xml"
        }
    }
}
