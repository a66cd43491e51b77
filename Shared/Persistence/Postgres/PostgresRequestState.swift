/// The loop's state of one transaction while its statements are on their way.
///
/// `@unchecked Sendable`: it travels with the statements, and is touched on the connection's loop only.
final class PostgresRequestState: @unchecked Sendable {
    /// The first failure. Statements after it are not sent.
    var failure: PersistenceError?
}
