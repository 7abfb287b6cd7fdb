// Keys as a person presses them, but without waiting for each: a page of questions takes hundreds.

const KEYS = {
    Tab: { code: "Tab", windowsVirtualKeyCode: 9 },
    Enter: { code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
    Space: { code: "Space", key: " ", windowsVirtualKeyCode: 32, text: " " },
    ArrowLeft: { code: "ArrowLeft", windowsVirtualKeyCode: 37 },
    ArrowRight: { code: "ArrowRight", windowsVirtualKeyCode: 39 },
    ArrowDown: { code: "ArrowDown", windowsVirtualKeyCode: 40 },
};

/** Presses keys in this order; the browser queues them as it does those of a fast typist. */
async function send(session, keys) {
    await Promise.all(keys.flatMap((name) => {
        const { text, ...key } = { key: name, ...KEYS[name] };
        return [
            session.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", text, ...key }),
            session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key }),
        ];
    }));
}

/** A keyboard for a page. */
export async function keyboardOf(page) {
    const session = await page.context().newCDPSession(page);
    return {
        /** Presses keys and asks nothing. */
        send: (keys) => send(session, keys),

        /**
         * Puts the focus right before the content of `element`, presses `keys`, and returns what the function `state` tells
         * of the element after each. It runs in the page.
         */
        async press(element, keys, state, { enter = true } = {}) {
            await element.evaluate((node, [text, into]) => {
                const look = new Function(`return (${text})`)();
                if (into) {
                    node.tabIndex = -1;
                    node.focus();
                }
                window.wbListening?.abort();
                window.wbListening = new AbortController();
                window.wbStates = [];
                // What a key has done is seen when the next one goes down, and of the last one when all is over.
                window.wbState = () => window.wbStates.push(look(node));
                document.addEventListener("keydown", window.wbState, { capture: true, signal: window.wbListening.signal });
            }, [String(state), enter]);
            await send(session, keys);
            return page.evaluate(() => {
                window.wbListening.abort();
                window.wbState();
                return window.wbStates.slice(1);
            });
        },
    };
}

/** What has the focus within `node`, and whether that shows: for the page. Empty if it is right. */
export const focusWithin = `(node, wanted) => {
    const own = document.activeElement;
    if (!node.contains(own) || !own.matches(wanted)) return "Tab leads to " + own.tagName.toLowerCase() + ", not to " + wanted;
    const style = getComputedStyle(own);
    return style.outlineStyle === "none" && style.boxShadow === "none" ? "nothing shows where the focus is" : "";
}`;
