internal import StoreHTTP
internal import StoreModels

/// The signed lists that were read last, in a file for a run that cannot reach the store.
///
/// The file, `<directory>/signed-lists.json`, has the JWS as the store sent them, and the session that says what to
/// trust, without its token. The reader verifies again what it takes from the file.
final class SavedLists: Sendable {
    /// The content of the file.
    private struct Content: Hashable, Codable, Sendable {
        struct List: Hashable, Codable, Sendable {
            let question: SignedLists.Question
            /// Newest first.
            var signedTransactions: [String]
        }

        /// The app, device and account at a gateway.
        let owner: [String]
        let session: SessionResponse
        var lists: [List] = []
        var signedAppTransaction: String?
    }

    private struct State: Sendable {
        var content: Content?
        var isRead = false
    }

    private let file: URL
    private let connection: StoreConnection
    private let state = LockedValue(State())

    init(directory: URL, _ connection: StoreConnection) {
        file = directory.appendingPathComponent("signed-lists.json")
        self.connection = connection
    }

    // MARK: Reading

    /// Returns a list, with the session in which it was read. A product's list may be the whole one. Nil without any.
    func list(_ question: SignedLists.Question) -> (session: SessionResponse, signedTransactions: [String])? {
        let content = access { $0 }
        let whole = SignedLists.Question(view: question.view, product: nil)
        // A whole list replaces the products' lists before it.
        let list = content?.lists.first { $0.question == question } ?? content?.lists.first { $0.question == whole }
        guard let content, let list else { return nil }
        return (content.session, list.signedTransactions)
    }

    /// The app transaction, with the session in which it was read. Nil without one.
    var signedAppTransaction: (session: SessionResponse, text: String)? {
        guard let content = access({ $0 }), let text = content.signedAppTransaction else { return nil }
        return (content.session, text)
    }

    // MARK: Writing

    /// Writes a list.
    func keep(
        _ results: [VerificationResult<Transaction>], of question: SignedLists.Question, in session: SessionResponse
    ) {
        change(in: session) { content in
            content.lists.removeAll {
                $0.question == question || (question.product == nil && $0.question.view == question.view)
            }
            if content.lists.count >= ClientLimits.signedListsMax {
                content.lists.removeAll { $0.question.product != nil }
            }
            content.lists.append(.init(question: question, signedTransactions: results.map(\.jwsRepresentation)))
        }
    }

    /// Writes the app transaction.
    func keep(_ appTransaction: VerificationResult<AppTransaction>, in session: SessionResponse) {
        change(in: session) { $0.signedAppTransaction = appTransaction.jwsRepresentation }
    }

    /// Removes a transaction that the app has finished from the lists of unfinished ones.
    func finish(_ number: UInt64) {
        access { content in
            for index in content?.lists.indices ?? 0..<0 where content?.lists[index].question.view == .unfinished {
                content?.lists[index].signedTransactions.removeAll {
                    SignedClaims($0).identifier("transactionId") == number
                }
            }
        }
    }

    private func change(in session: SessionResponse, _ body: (inout Content) -> Void) {
        access { content in
            var new = Content(owner: owner, session: session.withoutToken)
            if let content, content.session.trusts(as: session) { new = content }
            body(&new)
            content = new
        }
    }

    /// Gives access to the content, and writes it if it has changed. The first access reads the file.
    @discardableResult
    private func access<Result>(_ body: (inout Content?) -> Result) -> Result {
        let (result, problems) = state.withLock { state in
            var problems: [String] = []
            if !state.isRead {
                state.isRead = true
                do throws(Problem) {
                    state.content = try read()
                } catch {
                    problems.append("the saved purchases are ignored: \(error.reason)")
                }
            }
            let before = state.content
            let result = body(&state.content)
            if let content = state.content, content != before {
                do throws(Problem) {
                    try write(content)
                } catch {
                    problems.append("the purchases could not be saved: \(error.reason)")
                }
            }
            return (result, problems)
        }
        for problem in problems { connection.log?(problem) }
        return result
    }

    // MARK: The file

    private struct Problem: Error {
        /// Without names of shoppers.
        let reason: String
    }

    private var owner: [String] {
        [connection.gateway.absoluteString, connection.bundleId, connection.deviceId, connection.account]
    }

    private func read() throws(Problem) -> Content? {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch CocoaError.fileReadNoSuchFile {
            return nil
        } catch {
            throw Problem(reason: "the file cannot be read")
        }
        guard data.count <= ClientLimits.savedListsBytesMax else { throw Problem(reason: "the file is too long") }
        guard let content = try? StoreJSON.decode(Content.self, from: Array(data)) else {
            throw Problem(reason: "the file is damaged")
        }
        guard zip(content.owner, owner).allSatisfy({ $0.isExactly($1) }), content.owner.count == owner.count else {
            throw Problem(reason: "the file is of another app, device, account or store")
        }
        return content
    }

    /// Writes the file atomically: a process that ends meanwhile leaves the old one or the new one.
    private func write(_ content: Content) throws(Problem) {
        do {
            let data = Data(try StoreJSON.encode(content))
            guard data.count <= ClientLimits.savedListsBytesMax else { throw Problem(reason: "they are too long") }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(reason: "the file cannot be written")
        }
    }
}

extension SessionResponse {
    fileprivate var withoutToken: SessionResponse {
        var session = self
        session.token = ""
        return session
    }

    /// Whether another session says the same of the device and of what to trust.
    fileprivate func trusts(as other: SessionResponse) -> Bool {
        environment == other.environment && rootCertificate == other.rootCertificate
            && deviceVerificationId == other.deviceVerificationId
    }
}
