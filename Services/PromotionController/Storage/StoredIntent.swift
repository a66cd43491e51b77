import Persistence
import ServiceDatabase
import StoreModels

/// An intent's row.
struct StoredIntent: Hashable, Sendable {
    /// What was handed to PaymentQueue when the intent was continued, and is handed over again until it has answered.
    struct Addition: Hashable, Sendable, Codable {
        var payment: Payment
        var discountCheck: DiscountCheck?
    }

    let id: String
    let installation: InstallationReference
    let customerIdentifier: String
    let account: String
    let source: PurchaseIntent.Source
    /// What the intent carries; never changes.
    let payment: Payment
    let product: Product
    /// The first version of the app that handles promoted purchases, as the operator said when the purchase began.
    let supportedSince: String?
    /// The app's own purchase that comes first; the prompt may be answered already.
    var promptId: String?
    var life: PurchaseIntent.Life
    var addition: Addition?
    /// The `id` of the transaction it has become, once PaymentQueue has said so.
    var transactionId: String?
    var revision: Int64

    /// A purchase that begins now.
    init(_ request: StartPurchaseRequest, id: String, promptId: String?, now: PurchaseIntent.Life.Now) {
        self.id = id
        installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        customerIdentifier = request.customerIdentifier
        account = request.account
        source = request.source
        payment = Payment(
            requestIdentifier: "intent:\(id)", productIdentifier: request.facts.product.productIdentifier,
            intentIdentifier: id)
        product = request.facts.product
        supportedSince = request.facts.promotionsSupportedSince
        self.promptId = promptId
        life = PurchaseIntent.Life(expiresAt: now.business + PurchaseIntent.lifetime)
        revision = 1
    }

    init(_ row: SQLRow) throws {
        id = try row["intent_identifier"]
        installation = InstallationReference(bundleId: try row["bundle_id"], deviceId: try row["device_id"])
        customerIdentifier = try row["customer_identifier"]
        account = try row["account"]
        source = try row["source"]
        payment = try StoredJSON.value(Payment.self, try row["payment"])
        product = try StoredJSON.value(Product.self, try row["product"])
        supportedSince = try row["supported_since"]
        promptId = try row["prompt_id"]
        life = PurchaseIntent.Life(
            state: try row["state"],
            answerBy: (try row["answer_by"] as Int64?).map { Timestamp(milliseconds: $0) },
            expiresAt: Timestamp(milliseconds: try row["expires_at"]), deferredBy: try row["deferred_by"],
            feedback: try row["feedback"], isAdded: try row["is_added"])
        addition = try (row["addition"] as String?).map { try StoredJSON.value(Addition.self, $0) }
        transactionId = try row["transaction_id"]
        revision = try row["revision"]
    }

    /// As the app sees it.
    var intent: PurchaseIntent {
        PurchaseIntent(
            intentIdentifier: id, state: life.state, payment: payment, product: product, source: source,
            answerBy: life.answerBy, expiresAt: life.expiresAt, deferredBy: life.deferredBy, feedback: life.feedback,
            transactionId: transactionId)
    }

    /// As the operator sees it: whose it is, and what to look at.
    var record: PurchaseIntent {
        var intent = intent
        intent.bundleId = installation.bundleId
        intent.account = account
        intent.deviceId = installation.deviceId
        intent.warning = life.warning
        return intent
    }

    /// Whether it is the asker's; anybody else's is not found.
    func belongs(to installation: InstallationReference, _ customerIdentifier: String) -> Bool {
        self.installation == installation && self.customerIdentifier.isExactly(customerIdentifier)
    }
}

extension PurchaseIntent.State: SQLValueConvertible {}
extension PurchaseIntent.Source: SQLValueConvertible {}
extension PurchaseIntent.Deferral: SQLValueConvertible {}
