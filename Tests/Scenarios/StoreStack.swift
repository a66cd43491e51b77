import Foundation
import StoreModels
import StorebusTesting

/// A store of real processes with a client of its HTTP API.
///
/// ```swift
/// try await StoreStack.run { store in
///     let alice = try await store.session(account: "alice")
///     …
/// }
/// ```
/// Every process is ended by its pid when the body returns or throws; then the logs are printed if it threw.
final class StoreStack: Sendable {
    let process: StoreProcess
    /// The app of an isolated store, as services name it. Nil for the installation.
    let isolated: IsolatedApp?

    /// Starts a store, runs `body` against it and stops it.
    /// - Parameters:
    ///   - arguments: more words for `storebus up`.
    ///   - environment: variables for it and all processes it starts, besides those of the tests.
    static func run(
        _ arguments: [String] = [], environment: [String: String] = [:], _ body: (StoreStack) async throws -> Void
    ) async throws {
        let store = StoreStack(try await StoreProcess(arguments, environment: environment))
        do {
            try await body(store)
        } catch {
            store.process.printLogs()
            await store.process.stop()
            throw error
        }
        await store.process.stop()
    }

    /// - Parameter isolated: the store's app, if it is an isolated store of the processes.
    init(_ process: StoreProcess, isolated: IsolatedApp? = nil) {
        self.process = process
        self.isolated = isolated
    }

    var directory: TemporaryDirectory { process.directory }
    /// The name of an isolated store: `t-7`. Empty for the installation.
    var isolatedName: String { isolated?.store ?? "" }
    /// `http://127.0.0.1:40123`, and `/s/t-7` behind it for an isolated store.
    var url: String { isolated == nil ? process.url : "\(process.url)/s/\(isolatedName)" }
    var adminKey: String { process.adminKey }
    /// Everything `storebus up` has printed.
    var output: String { process.output }

    /// The pid of replica `number` of a service, as `storebus up` last wrote it.
    func pid(of service: String, number: Int = 1) throws -> Int32 { try process.pid(of: service, number: number) }

    /// Sends a signal, SIGKILL unless told otherwise, to one process of this store.
    @discardableResult
    func signal(_ service: String, _ number: Int32 = SIGKILL) throws -> Int32 {
        let pid = try pid(of: service)
        guard kill(pid, number) == 0 else { throw StackError("cannot signal \(service), pid \(pid)") }
        return pid
    }

    /// Waits until `storebus up` has replaced a process that was killed.
    func waitForReplacement(of service: String, after old: Int32) async throws {
        try await eventually("\(service) is started again", within: .seconds(20)) {
            guard let pid = try? pid(of: service) else { return false }
            return pid != old && kill(pid, 0) == 0
        }
    }
}
