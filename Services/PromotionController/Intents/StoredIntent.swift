import Persistence
import ServiceDatabase
import StoreModels

/// An intent's row.
struct StoredIntent: Hashable, Sendable {
    /// The payment sent to PaymentQueue when the intent was continued.
    ///
    /// It is sent again until PaymentQueue has replied.
    struct Addition: Hashable, Sendable, Codable {
        var payment: Payment
        /// The gateway's check of the signature of the payment's discount, if it has one.
        var discountCheck: DiscountCheck?
    }

    let id: String
    let installation: InstallationReference
    let customerIdentifier: String
    let account: String
    let source: StorePurchaseIntent.Source
    /// The intent's payment, which never changes.
    let payment: Payment
    let product: Product
    /// A win-back offer of the product, which the payment gets.
    let offer: String?
    /// The first version of the app that handles promoted purchases. Nil for any.
    ///
    /// The operator had set it when the purchase began.
    let supportedSince: String?
    /// The prompt to buy the app, if any, which may be answered already.
    var promptId: String?
    /// Its state and times.
    var life: StorePurchaseIntent.Life
    /// The payment that continues the intent. Nil before.
    var addition: Addition?
    /// The `id` of its transaction. Nil before PaymentQueue has confirmed it.
    var transactionId: String?
    /// Grows by one with each write.
    var revision: Int64

    /// Creates an intent for a purchase that begins now.
    init(_ request: StartPurchaseRequest, id: String, promptId: String?, now: StorePurchaseIntent.Life.Now) {
        self.id = id
        installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        customerIdentifier = request.customerIdentifier
        account = request.account
        source = request.source
        payment = Payment(
            requestIdentifier: "intent:\(id)", productIdentifier: request.facts.product.productIdentifier,
            intentIdentifier: id)
        product = request.facts.product
        offer = request.offer
        supportedSince = request.facts.promotionsSupportedSince
        self.promptId = promptId
        life = StorePurchaseIntent.Life(expiresAt: now.business + StorePurchaseIntent.lifetime)
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
        offer = try row["offer"]
        supportedSince = try row["supported_since"]
        promptId = try row["prompt_id"]
        life = StorePurchaseIntent.Life(
            state: try row["state"],
            answerBy: try row["answer_by"],
            expiresAt: try row["expires_at"], deferredBy: try row["deferred_by"],
            feedback: try row["feedback"], isAdded: try row["is_added"])
        addition = try (row["addition"] as String?).map { try StoredJSON.value(Addition.self, $0) }
        transactionId = try row["transaction_id"]
        revision = try row["revision"]
    }

    /// The intent as the app sees it.
    var intent: StorePurchaseIntent {
        with(
            StorePurchaseIntent(
                intentIdentifier: id, state: life.state, payment: payment, product: product, source: source,
                answerBy: life.answerBy, expiresAt: life.expiresAt, transactionId: transactionId)
        ) {
            $0.offer = offer
            $0.deferredBy = life.deferredBy
            $0.feedback = life.feedback
        }
    }

    /// The intent as the operator sees it, with its customer and warnings.
    var record: StorePurchaseIntent {
        var intent = intent
        intent.bundleId = IsolatedApp.shown(installation.bundleId)
        intent.account = account
        intent.deviceId = installation.deviceId
        intent.warning = life.warning
        return intent
    }

    /// Tells whether it belongs to the caller. Other intents are reported as not found.
    func belongs(to installation: InstallationReference, _ customerIdentifier: String) -> Bool {
        self.installation == installation && self.customerIdentifier.isExactly(customerIdentifier)
    }
}

extension StorePurchaseIntent.State: SQLValueConvertible {}
extension StorePurchaseIntent.Source: SQLValueConvertible {}
extension StorePurchaseIntent.Deferral: SQLValueConvertible {}
