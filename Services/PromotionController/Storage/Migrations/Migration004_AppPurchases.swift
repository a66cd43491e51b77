import Persistence

extension Migration {
    /// The product that was tapped and the app's price; earlier prompts have neither.
    static let appPurchases = Migration(
        number: 4, name: "what an app is bought for",
        sql: """
            ALTER TABLE app_prompt ADD COLUMN product_identifier TEXT;
            ALTER TABLE app_prompt ADD COLUMN app_price TEXT;
            """)
}
