// The editor of the book's pages: CodeMirror with what a kernel needs. `.ci/editor` makes `target/lab/editor.js` of it; pages
// load that when a reader opens an editor, and use a plain text field where it is not there (`book/theme/lab/edit.js`).
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { bracketMatching, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

/** PTX, as far as colours need it. */
const ptx = StreamLanguage.define({
    name: "ptx",
    token(stream) {
        if (stream.match(/^\/\/.*/)) return "comment";
        if (stream.match(/^"[^"]*"/)) return "string";
        if (stream.match(/^%[\w.]+/)) return "variableName";
        if (stream.match(/^@!?%\w+/)) return "labelName";
        if (stream.match(/^\$?\w+:/)) return "labelName";
        if (stream.match(/^\.[a-z]\w*/)) return "typeName";
        if (stream.match(/^0[fFdDxX][0-9a-fA-F]+|^\d+/)) return "number";
        if (stream.match(/^[a-z]\w*(?=[.\s;])/)) return "keyword";
        if (!stream.match(/^\w+/)) stream.next();
        return null;
    },
});

/**
 * An editor in `host`. `language` is `cuda` or `ptx`, `label` its name for who does not see it, `changed` is called with the text.
 * Messages are `{ line, severity, message }`.
 */
function create(host, { text, language, label, describedBy, changed }) {
    const view = new EditorView({
        parent: host,
        state: EditorState.create({
            doc: text,
            extensions: [
                lineNumbers(), lintGutter(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), indentOnInput(),
                indentUnit.of("    "), EditorState.tabSize.of(4), syntaxHighlighting(classHighlighter),
                language === "ptx" ? ptx : cpp(),
                keymap.of([{ key: "Tab", run: indentMore, shift: indentLess }, ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...historyKeymap]),
                EditorView.contentAttributes.of({
                    tabindex: "0", "aria-label": label, "aria-describedby": describedBy, autocapitalize: "off", autocorrect: "off", spellcheck: "false",
                }),
                EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()); }),
            ],
        }),
    });
    const place = (line) => view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
    return {
        get text() { return view.state.doc.toString(); },
        set text(own) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: own } }); },
        mark(messages) {
            const severity = { error: "error", finding: "error", warning: "warning" };
            const found = messages.map((own) => {
                const { from, to } = place(own.line);
                return { from, to, severity: severity[own.severity] ?? "info", message: own.message };
            });
            view.dispatch(setDiagnostics(view.state, found.sort((a, b) => a.from - b.from)));
        },
        goTo(line) {
            view.dispatch({ selection: { anchor: place(line).from }, effects: EditorView.scrollIntoView(place(line).from, { y: "center" }) });
            view.focus();
        },
        show(line) { view.dispatch({ effects: EditorView.scrollIntoView(place(line).from, { y: "start" }) }); },
        focus() { view.focus(); },
    };
}

window.wbEditor = { create };
