import Glibc
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `DIR/run/up.json`, there while a store runs on DIR:
///
/// ```json
/// {"busURL":"storebus://127.0.0.1:7420","dataDirectory":"/home/me/app/.storebus","monitorPort":7421,"pid":812,
///  "startedAt":"2026-11-21T10:00:00.000Z","url":"http://127.0.0.1:7430","version":"0.1.0"}
/// ```
struct RunRecord: Hashable, Sendable, Codable {
    /// Of `storebus up`.
    var pid: Int32
    /// The gateway.
    var url: String
    var busURL: String
    /// The broker's monitoring pages; nil for a store on a bus of somebody else's.
    var monitorPort: Int?
    /// Absolute.
    var dataDirectory: String
    var startedAt: Timestamp
    var version: String
    /// Of services with more than one process; nil when there are none.
    var replicas: [String: Int]?
    /// Where the services' PostgreSQL is, without what is secret; nil for SQLite.
    var database: String?

    /// The processes of the services on the bus, the broker's not among them.
    var instances: [ServiceInstance] {
        ServiceName.allCases.flatMap { service in
            (1...max(1, replicas?[service.rawValue] ?? 1)).map {
                ServiceInstance(service: service.rawValue, number: $0)
            }
        }
    }

    func write(to directory: DataDirectory) throws(CLIError) {
        try FileAccess.write(
            Array((JSONText.line(JSONText.value(self)) + "\n").utf8), to: directory.runRecord, mode: 0o600)
    }

    /// - Returns: nil when there is none or it cannot be read.
    static func read(_ directory: DataDirectory) -> RunRecord? {
        FileAccess.text(directory.runRecord).flatMap { try? StoreJSON.decode(RunRecord.self, from: Array($0.utf8)) }
    }

    /// Whether the process that wrote it is there. After kill -9 the record stays behind.
    var isAlive: Bool { kill(pid, 0) == 0 || errno == EPERM }

    /// The store of the project one is in: `.storebus` here or in a directory above.
    static func search(from directory: String) -> DataDirectory? {
        var place = Substring(directory)
        while true {
            let candidate = DataDirectory("\(place)/\(DataDirectory.defaultName)")
            if FileManager.default.fileExists(atPath: candidate.runRecord) { return candidate }
            guard let slash = place.lastIndex(of: "/") else { return nil }
            place = place[..<slash]
        }
    }
}
