/// The async forms of the methods with completion handlers, as Swift imports them.
extension SKProductStorePromotionController {
    public func fetchStorePromotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionVisibility(for: product) { visibility, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(visibility))
            }
        }
    }

    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionVisibility: promotionVisibility, for: product) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    public func fetchStorePromotionOrder() async throws -> [SKProduct] {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionOrder { products, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(products))
            }
        }
    }

    public func update(storePromotionOrder promotionOrder: [SKProduct]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionOrder: promotionOrder) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }
}
