import StoreModels

/// Reads the head of one HTTP/1.1 request, however it was split. Only the request line matters. Header fields are
/// skipped and bodies are not taken.
struct MonitorRequestParser {
    /// Maximum bytes of a request's head, far more than a scraper sends.
    static let headBytesMax = 8192

    enum Result: Equatable {
        /// The head is not whole yet.
        case incomplete
        case request(MonitorRequest)
        /// The response that the client gets instead.
        case refused(status: Int, String)
    }

    private var head: [UInt8] = []
    /// Where the empty line may begin. The bytes before it were searched, so a client that sends single bytes costs no
    /// more.
    private(set) var searched = 0

    /// Takes more bytes.
    mutating func take(_ bytes: some Sequence<UInt8>) -> Result {
        head.append(contentsOf: bytes)
        guard let end = endOfHead else {
            searched = max(0, head.count - 3)
            return head.count > Self.headBytesMax
                ? .refused(status: 431, "the request's head is too large") : .incomplete
        }
        guard end <= Self.headBytesMax else { return .refused(status: 431, "the request's head is too large") }
        let line = head[..<end].prefix { $0 != 0x0D && $0 != 0x0A }
        return Self.parse(String(decoding: line, as: UTF8.self))
    }

    /// Where the empty line begins.
    private var endOfHead: Int? {
        guard head.count >= searched + 4 else { return nil }
        return (searched...(head.count - 4)).first { head[$0..<($0 + 4)].elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) }
    }

    private static func parse(_ line: String) -> Result {
        let parts = line.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].hasPrefix("HTTP/1.") else {
            return .refused(status: 400, "no HTTP/1.1 request")
        }
        guard parts[0] == "GET" || parts[0] == "HEAD" else { return .refused(status: 405, "only GET is answered here") }
        let target = parts[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = PercentEncoding.decode(target[0]), path.hasPrefix("/") else {
            return .refused(status: 400, "no path")
        }
        var query: [String: String] = [:]
        for pair in target.count > 1 ? target[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(sides[0]),
                let value = sides.count > 1 ? PercentEncoding.decode(sides[1]) : ""
            else {
                return .refused(status: 400, "the query is not percent-encoded text")
            }
            query[name] = value
        }
        return .request(MonitorRequest(path: path, query: query, isHead: parts[0] == "HEAD"))
    }
}

/// A request to the monitoring port: a path and its query.
package struct MonitorRequest: Sendable, Equatable {
    /// `/connz`, percent-decoded.
    package var path: String
    /// `?subs=1&state=closed`. For a repeated name the last value counts.
    package var query: [String: String]
    /// HEAD: the same answer without its body.
    package var isHead: Bool

    /// Creates a request, as tests do.
    package init(path: String, query: [String: String] = [:], isHead: Bool = false) {
        self.path = path
        self.query = query
        self.isHead = isHead
    }
}
