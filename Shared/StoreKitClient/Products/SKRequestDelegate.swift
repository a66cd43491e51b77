/// Receives the end of a request: one of the two methods is called, once. Called on the queue's callback queue
/// (``SKPaymentQueue``).
///
/// Both methods are optional. A subclass cannot add a method that its superclass leaves out, because Swift has no
/// optional methods without Objective-C: declare it in the class that conforms, and override it.
public protocol SKRequestDelegate: NSObjectProtocol {
    func requestDidFinish(_ request: SKRequest)
    /// - Parameter error: A `URLError` when the store could not be reached, an ``SKError`` when it refused.
    func request(_ request: SKRequest, didFailWithError error: any Error)
}

extension SKRequestDelegate {
    public func requestDidFinish(_ request: SKRequest) {}
    public func request(_ request: SKRequest, didFailWithError error: any Error) {}
}
