import HTTPTypes
import Hummingbird
import StoreModels

/// How a test URL is given: as text to send in a message, or as a QR code to hold a device at (M107).
enum TestURLFormat: String, CaseIterable, Sendable {
    case text, svg

    /// What the query says, else what the client takes, else text.
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
