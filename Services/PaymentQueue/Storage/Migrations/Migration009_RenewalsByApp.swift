import Persistence

extension Migration {
    /// An index of renewals in progress by app.
    ///
    /// Each sweep reads them app by app, twice a second. Without the app in the index it reads all of the app's
    /// subscriptions.
    static let renewalsByApp = Migration(
        number: 9, name: "renewals under way, by app",
        sql: """
            DROP INDEX subscription_attempt;
            CREATE INDEX subscription_attempt ON subscription (bundle_id, original_id) WHERE attempt IS NOT NULL;
            """)
}
