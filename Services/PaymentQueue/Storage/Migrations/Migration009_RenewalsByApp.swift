import Persistence

extension Migration {
    /// An index of renewals in progress by app. Each sweep asks for them app by app, and without the app in the index
    /// that reads all of the app's subscriptions, twice a second.
    static let renewalsByApp = Migration(
        number: 9, name: "renewals under way, by app",
        sql: """
            DROP INDEX subscription_attempt;
            CREATE INDEX subscription_attempt ON subscription (bundle_id, original_id) WHERE attempt IS NOT NULL;
            """)
}
