internal import StoreHTTP
internal import StoreModels

extension Product {
    /// This device's setting for a promoted product.
    ///
    /// Calls run one after the other with those of ``SKProductStorePromotionController``.
    public struct PromotionInfo: Hashable, Sendable {
        /// Whether the store shows a product on this device.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive(warn)
        #endif
        public enum Visibility: Int, Hashable, Sendable {
            /// As the operator has set it.
            case appStoreConnectDefault
            case visible, hidden
        }

        /// The product.
        public let productID: Product.ID
        /// Whether the store shows it here. ``update()`` sends a change.
        public var visibility: Visibility

        /// Sends ``visibility``.
        /// - Throws: ``StoreKitError``
        public func update() async throws { try await Self.updateProductVisibility(visibility, for: productID) }

        /// The products whose order this device has set, in that order. Empty if it has set none.
        /// - Throws: ``StoreKitError``, `unsupported` if the device has no promotions.
        public static var currentOrder: [PromotionInfo] {
            get async throws {
                try await run { call in
                    let response = try await call.gateway.send(HTTPCall(PromotionRoutes.order)).checked()
                    let reply = try response.body(of: PromotionRoutes.order)
                    // Without products that the catalogue no longer has.
                    let known = Set(exactly: reply.products.map(\.productIdentifier))
                    var order: [PromotionInfo] = []
                    for product in reply.productIdentifiers where known.containsExactly(product) {
                        let visibility = try await SKProductStorePromotionController.visibility(of: product, by: call)
                        order.append(PromotionInfo(productID: product, visibility: Visibility(visibility)))
                    }
                    return order
                }
            }
        }

        /// Puts products first, in this order. The others keep the operator's. An empty list removes the setting.
        /// - Throws: ``StoreKitError``
        public static func updateProductOrder(byID order: some Collection<String>) async throws {
            let order = Array(order)
            try await run { try await SKProductStorePromotionController.put(order: order, by: $0) }
        }

        /// Shows or hides a product on this device.
        /// - Throws: ``StoreKitError``
        public static func updateProductVisibility(_ visibility: Visibility, for productID: Product.ID) async throws {
            try await run {
                try await SKProductStorePromotionController.put(visibility.model, of: productID, by: $0)
            }
        }

        /// Sets the order and each product's visibility. A list that the store refuses changes nothing.
        /// - Throws: ``StoreKitError``
        public static func updateAll(_ promotions: some Collection<PromotionInfo>) async throws {
            let promotions = Array(promotions)
            try await run { call in
                // First, because the store checks all products of an order.
                try await SKProductStorePromotionController.put(order: promotions.map(\.productID), by: call)
                for promotion in promotions {
                    try await SKProductStorePromotionController.put(
                        promotion.visibility.model, of: promotion.productID, by: call)
                }
            }
        }

        /// Runs a call after all calls before it.
        private static func run<Value: Sendable>(
            _ work: @escaping @Sendable (RepeatedCall) async throws -> Value
        ) async throws -> Value {
            let core = SKPaymentQueue.current.core
            return try await StoreKitError.catching {
                try await withCheckedThrowingContinuation { continuation in
                    core.override(work) { continuation.resume(with: $0) }
                }
            }
        }
    }
}

extension Product.PromotionInfo.Visibility {
    init(_ model: StorePromotionVisibility) {
        self =
            switch model {
            case .default: .appStoreConnectDefault
            case .show: .visible
            case .hide: .hidden
            }
    }

    var model: StorePromotionVisibility {
        switch self {
        case .appStoreConnectDefault: .default
        case .visible: .show
        case .hidden: .hide
        }
    }
}
