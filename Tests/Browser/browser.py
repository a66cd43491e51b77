"""Chromium with the console in it, and what a person does there."""

import io
import os
import pathlib
import shutil
import urllib.parse

import axe_playwright_python
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# Before any script of the page: remembers reports of the policy, and counts the requests under way.
WATCH = """
window.underWay = 0;
const plainFetch = window.fetch;
window.fetch = async (...request) => {
    window.underWay += 1;
    try { return await plainFetch(...request); } finally { window.underWay -= 1; }
};
window.policyReports = [];
document.addEventListener('securitypolicyviolation', report =>
    window.policyReports.push(`${report.violatedDirective} ${report.blockedURI} ${report.sourceFile}`));
"""
SECONDS = 60


class Browser:
    def __init__(self, url):
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which(os.environ.get("CHROMIUM", "chromium"))
        for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--force-prefers-reduced-motion",
                     "--lang=en-US", "--no-proxy-server", "--window-size=1280,900"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService(shutil.which(os.environ.get("CHROMEDRIVER", "chromedriver")))
        self.url, self.driver, self.faults = url, webdriver.Chrome(options=options, service=service), []
        self.prepare()

    def prepare(self):
        """For this tab; each tab that is opened needs it, too."""
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": WATCH})
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "UTC"})

    def look(self, width, scheme="light"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def until(self, what, condition):
        def holds(_):
            try:
                return condition()
            except (StaleElementReferenceException, IndexError, AttributeError, TypeError):
                return False
        try:
            return WebDriverWait(self.driver, SECONDS, poll_frequency=0.05).until(holds)
        except WebDriverException:
            shown = self.run("return document.body ? document.body.innerText.slice(0, 1500) : ''")
            raise AssertionError(f"{what}: not within {SECONDS} s; the page says:\n{shown}") from None

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, css="main"):
        found = self.all(css)
        return found[0].text if found else ""

    def says(self, text, css="main"):
        return self.until(f"'{text}' in {css}", lambda: text in self.text(css))

    def button(self, label, inside="body"):
        def found():
            for area in self.all(inside):
                for one in area.find_elements(By.CSS_SELECTOR, "button, a.button, summary"):
                    if (one.text.strip() == label or one.get_attribute("aria-label") == label) and one.is_displayed():
                        return one
            return None
        return self.until(f"a button '{label}'", found)

    def click(self, label, inside="body"):
        self.press(self.button(label, inside))

    def press(self, element):
        # The header stays above what is scrolled below it.
        self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
        element.click()

    def fill(self, css, text):
        field = self.until(css, lambda: self.all(css)[0])
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)
        return field

    def keys(self, *keys):
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def open(self, page, whole=False):
        """Goes to a page, and waits until it has its heading and what it loads. `whole` loads the document anew."""
        if whole or not self.driver.current_url.startswith(self.url):
            self.collect()
            self.driver.get(f"{self.url}/#/{page}")
            if whole:
                self.driver.refresh()
        else:
            self.run("location.hash = arguments[0]", f"#/{page}")
            path = urllib.parse.unquote(page.split("?")[0])
            self.until(f"the page {path}", lambda: self.run("return document.getElementById('main').dataset.page") == path)
        self.settled()

    def settled(self):
        self.until("the page", lambda: self.all("main h1") and "Loading…" not in self.text() and self.run("return window.underWay") == 0)

    def sign_in(self, key):
        self.driver.get(self.url)
        self.fill("input[name=key]", key)
        self.click("Sign in")
        self.until("the frame", lambda: self.all("header.top"))

    def forgive(self, *expected):
        """Takes what has gone wrong, without the lines about requests that a check has made to fail: those that name one of `expected`."""
        self.collect(expected)

    def collect(self, forgiven=()):
        """What has gone wrong since the last time: reports of the policy, errors of the console."""
        for report in self.run("return (window.policyReports || []).splice(0)"):
            self.faults.append(f"policy: {report}")
        for entry in self.driver.get_log("browser"):
            # A device that is not known yet is asked for before it is made.
            known = ("404" in entry["message"] and "/admin/v1/devices/" in entry["message"]) or any(one in entry["message"] for one in forgiven)
            if entry["level"] == "SEVERE" and not known:
                self.faults.append(f"console: {entry['message']}")
        if self.run("return window.broken"):
            self.faults.append("a text of the store was taken for markup")

    def axe(self):
        if not self.run("return Boolean(window.axe)"):
            self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE})
        found = self.driver.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
        return [f"{one['id']}: {node['html'][:160]}" for one in found["violations"] for node in one["nodes"]]

    def screenshot(self, path):
        """In 128 colours, which is half of the bytes and looks the same."""
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 1, "y": 1})
        picture = Image.open(io.BytesIO(self.driver.get_screenshot_as_png())).convert("RGB")
        picture.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)

    def quit(self):
        self.driver.quit()


__all__ = ["Browser", "By", "Keys"]
