import StoreModels

/// What a service writes once it is ready to serve (`--ready-file`):
///
/// ```json
/// {"host":"127.0.0.1","instance":"9f3c…","monitorPort":40123,"pid":812,"port":7430,"service":"gateway"}
/// ```
struct ReadyFile: Hashable, Sendable, Decodable {
    var service: String
    var pid: Int32
    var host: String?
    /// Absent, null or 0 for a service that listens for nothing but the bus.
    var port: Int?
    var monitorPort: Int?
    var instance: String?

    /// - Returns: nil when there is none yet.
    static func read(_ path: String) -> ReadyFile? {
        FileAccess.text(path).flatMap { try? StoreJSON.decode(ReadyFile.self, from: Array($0.utf8)) }
    }
}
