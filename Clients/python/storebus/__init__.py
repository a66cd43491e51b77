"""Isolated stores of Storebus, for the tests of an app's server.

    with Installation.from_environment().store(catalogue="App.storekit") as store:
        store.customer("alice").buy("com.example.pro.monthly")
        print(store.notifications.wait("SUBSCRIBED").transaction["productId"])
"""

from .errors import StoreError
from .installation import Installation
from .notifications import Notification, Notifications
from .store import Clock, Customer, Store

__all__ = ["Clock", "Customer", "Installation", "Notification", "Notifications", "Store", "StoreError"]
