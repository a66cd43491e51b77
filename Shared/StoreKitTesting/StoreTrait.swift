@_exported public import StoreKitTestClient
public import Testing

/// A trait that gives each test a session with a `.storekit` file.
///
/// ```swift
/// @Suite(.store("App.storekit")) struct PurchaseTests {
///     @Test func buys() async throws {
///         let session = try SKTestSession.current
///         session.askToBuyEnabled = true
///     }
/// }
/// ```
/// A test begins without transactions and dialogs, and with the file's settings. A process buys from one store at a
/// time, so tests with this trait run one after the other, also those of several suites.
public struct StoreTrait: SuiteTrait, TestTrait, TestScoping {
    /// Suites hand the trait to their tests.
    public let isRecursive = true

    fileprivate let fileName: String
    fileprivate let filePath: StaticString
    fileprivate let fileID: StaticString

    /// Waits for its turn, and runs one test with a session.
    /// - Throws: ``SKTestError`` without a session, and the test's own errors.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A test's own trait is inside its suite's, which has the turn.
        let isInside = SKTestSession.ofTest != nil
        if !isInside { try await StoreTurn.shared.begin() }
        do {
            let session = try SKTestSession(configurationFileNamed: fileName, filePath: filePath, fileID: fileID)
            session.disableDialogs = true
            session.clearTransactions()
            // It throws the error of the members that cannot.
            _ = try session.clock.now()
            try await SKTestSession.$ofTest.withValue(session) { try await function() }
        } catch {
            if !isInside { await StoreTurn.shared.end() }
            throw error
        }
        if !isInside { await StoreTurn.shared.end() }
    }
}

extension Trait where Self == StoreTrait {
    /// Gives each test a session with a `.storekit` file of this name, ``SKTestSession/current``.
    ///
    /// It looks for the file as a session's initialiser does.
    public static func store(
        _ fileName: String, filePath: StaticString = #filePath, fileID: StaticString = #fileID
    ) -> Self { StoreTrait(fileName: fileName, filePath: filePath, fileID: fileID) }
}

extension SKTestSession {
    @TaskLocal fileprivate static var ofTest: SKTestSession?

    /// The session of the running test.
    /// - Throws: ``SKTestError/invalidAction`` for a test without ``StoreTrait``.
    public static var current: SKTestSession {
        get throws {
            guard let ofTest else {
                throw SKTestError(
                    .invalidAction, "this test has no session: mark it, or its suite, with .store(\"App.storekit\")")
            }
            return ofTest
        }
    }
}

/// The turn to use the process's store.
private actor StoreTurn {
    static let shared = StoreTurn()

    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits until no other test has the turn.
    /// - Throws: `CancellationError` for a test whose time is over.
    func begin() async throws {
        if isTaken {
            await withCheckedContinuation { waiting.append($0) }
        } else {
            isTaken = true
        }
        guard Task.isCancelled else { return }
        end()
        throw CancellationError()
    }

    /// Passes the turn on.
    func end() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}
