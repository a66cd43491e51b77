/// A request to the monitoring port: a path and its query.
package struct MonitorRequest: Sendable, Equatable {
    /// `/connz`, percent-decoded.
    package var path: String
    /// `?subs=1&state=closed`; of a repeated name the last value counts.
    package var query: [String: String]
    /// HEAD: the same answer without its body.
    package var isHead: Bool

    package init(path: String, query: [String: String] = [:], isHead: Bool = false) {
        self.path = path
        self.query = query
        self.isHead = isHead
    }
}
