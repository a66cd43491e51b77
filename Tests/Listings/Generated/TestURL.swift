// swift-format-ignore-file
// Made by scripts/cut-listings of Frames/TestURL.swift.frame and Blocks/S1. Change those.

/// Listing L15: the link that begins a purchase without the store.
let testURL =
"itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=product_name"
