import BusService
import Logging
import StoreModels

extension DeliveryHub {
    /// Notifies streams whose customer's storefront has changed. A storefront that cannot be looked up is retried each
    /// second until Catalog is back.
    func tell(_ streams: [ObserverStream], of customer: CustomerReference, storefront countryCode: String) async {
        let outdated = streams.filter { !countryCode.isEmpty && $0.storefront != countryCode }
        guard !outdated.isEmpty else { return }
        do throws(StoreError) {
            let context = CallContext(deadline: .now + DeliveryLimits.headsInterval)
            guard let storefront = try await storefronts.storefront(countryCode, context) else {
                return logger.warning("a storefront is not in the table", metadata: ["storefront": "\(countryCode)"])
            }
            // First, so that an app that reacts immediately sees the prices of the new storefront.
            accounts.forget(customer)
            for stream in outdated { stream.receive(storefront) }
        } catch {
            logger.debug("a storefront could not be looked up", metadata: ["code": "\(error.code)"])
        }
    }
}
