/// The domain of the errors StoreKit reports through the observer.
public let SKErrorDomain = "SKErrorDomain"
