/// Stands for UIKit's.
final class UIBarButtonItem {}

/// Listing L13: where the sample app offers a restore (M44).
final class ProductsViewController {
    @IBAction func restore(_ sender: UIBarButtonItem) {
        StoreObserver.shared.restore()
    }
}
