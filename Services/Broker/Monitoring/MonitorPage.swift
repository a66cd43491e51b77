/// One response of the monitoring server.
package struct MonitorPage: Sendable, Equatable {
    /// HTTP status.
    package var status: Int
    /// Media type.
    package var contentType: String
    package var body: [UInt8]

    static func json(_ body: [UInt8], status: Int = 200) -> MonitorPage {
        MonitorPage(status: status, contentType: "application/json", body: body)
    }
}
