import Foundation
import StorebusTesting
import Testing

/// Goal: each event of the main store, and of each isolated one that waits for it, makes exactly one notification, in
/// its customer's order, while isolated stores are made, bought in and removed.
/// Method: `scripts/notification-drill` with a store of its own and a server that receives; on PostgreSQL with two
/// replicas of the payment queue and of AppStoreServer. Its draws have a printed seed.
@Suite(.process) struct NotificationDrillTests {
    private static let stores = 50

    @Test(arguments: Engine.allCases)
    func `isolated stores that come and go take no notification from anybody`(_ engine: Engine) async throws {
        var random = SplitMix64.seeded("notification drill, \(engine)")
        let directory = try TemporaryDirectory(prefix: "storebus-drill")
        let output = directory.file("drill.out")
        var arguments = [
            "scripts/notification-drill", try Self.executables(), "--stores", "\(Self.stores)",
            "--seed", "\(UInt32.random(in: 0 ... .max, using: &random))",
        ]
        if let database = try await engine.environment()["DATABASE_URL"] { arguments += ["--database-url", database] }
        let drill = Process()
        drill.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        drill.arguments = ["python3"] + arguments
        drill.standardInput = FileHandle.nullDevice
        try Data().write(to: URL(fileURLWithPath: output))
        drill.standardOutput = FileHandle(forWritingAtPath: output)
        drill.standardError = FileHandle(forWritingAtPath: output)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            drill.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try drill.run() } catch { continuation.resume(throwing: error) }
        }
        let said = try String(contentsOfFile: output, encoding: .utf8)
        print(said)
        #expect(status == 0, "\(said)")
        #expect(said.contains("every event made exactly one notification"))
    }

    /// The directory of the executables that belong to these tests.
    private static func executables() throws -> String {
        URL(fileURLWithPath: try Executables.path(of: "storebus")).deletingLastPathComponent().path
    }
}
