#!/bin/sh
# Make sure that there is a Chromium with a Chinese font: root gets Debian's packages, others are told their names.
PACKAGES="chromium fontconfig fonts-wqy-microhei"
if command -v chromium >/dev/null && [ -n "$(fc-list :lang=zh)" ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing $PACKAGES (once)"
    apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends --yes $PACKAGES >/dev/null
else
    echo "The tests in a browser need Chromium and a Chinese font. On Debian: sudo apt-get install $PACKAGES" >&2
    exit 1
fi
