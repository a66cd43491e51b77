import BusService
import Logging
import StoreModels

extension DeliveryHub {
    /// Tells streams whose customer shops elsewhere by now. A storefront that cannot be looked up is told a second
    /// later, or when Catalog is back.
    func tell(_ streams: [ObserverStream], of customer: CustomerReference, storefront countryCode: String) async {
        let outdated = streams.filter { !countryCode.isEmpty && $0.storefront != countryCode }
        guard !outdated.isEmpty else { return }
        do throws(StoreError) {
            let context = CallContext(deadline: .now + DeliveryLimits.headsInterval)
            guard let storefront = try await storefronts.storefront(countryCode, context) else {
                return logger.warning("a storefront is not in the table", metadata: ["storefront": "\(countryCode)"])
            }
            // First, so that an app that asks at once sees the prices of the storefront it was told of.
            accounts.forget(customer)
            for stream in outdated { stream.receive(storefront) }
        } catch {
            logger.debug("a storefront could not be looked up", metadata: ["code": "\(error.code)"])
        }
    }
}
