// Markdown for reading. Raw HTML stays text, pictures are links, links say where they lead, and nothing is
// fetched from anywhere.
import { highlightCode, classHighlighter } from "@lezer/highlight";
import { useEffect, useMemo, useRef, useState, type ComponentPropsWithoutRef, type MouseEvent, type ReactElement, type ReactNode } from "react";
import Markdown, { type Components, type ExtraProps } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { IconExternal, IconImage } from "../../ui/icons";
import { Button } from "../../ui/ui";
import { languageNamed, loadLanguage } from "../code/language";
import { decode } from "../decode";
import { pieces } from "../escapes";
import { Bar, Failed, Partial, Shown, useFrame, Waiting } from "../frame";
import { SHOWN_BYTES_MAX } from "../limits";
import { useHead } from "../use-head";
import { slugOf, targetOf } from "./links";
import "./markdown.css";

export function MarkdownViewer(): ReactElement {
  const { source, choose } = useFrame();
  const head = useHead(source, SHOWN_BYTES_MAX.markdown, SHOWN_BYTES_MAX.markdown);
  const text = useMemo(() => (head.state === "read" ? decode(head.bytes, head.isWhole).text : ""), [head]);
  const headings = useMemo(() => headingsOf(text), [text]);
  const [hasContents, setHasContents] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  if (head.state === "failed") return <Failed error={head.error} />;
  if (head.state === "reading") return <Waiting />;
  return (
    <>
      <Bar label="Markdown">
        {headings.length > 2 && (
          <Button isSmall kind="quiet" aria-pressed={hasContents} className="viewer-toggle" onClick={() => setHasContents(!hasContents)}>Contents</Button>
        )}
        <Button isSmall kind="quiet" onClick={() => choose("code")}>Source</Button>
      </Bar>
      <Partial shown={head.bytes.length} />
      <div className="viewer-body markdown-body">
        {hasContents && (
          <nav className="markdown-contents" aria-label="Contents">
            {headings.map((heading, at) => (
              <button key={at} type="button" className={`markdown-entry markdown-entry-${heading.level}`} onClick={() => goTo(place.current, heading.id)}>
                <Shown text={heading.text} />
              </button>
            ))}
          </nav>
        )}
        <div className="markdown-page" ref={place} tabIndex={0} role="document" aria-label="Markdown">
          <MarkdownText text={text} />
        </div>
      </div>
    </>
  );
}

/** Markdown in the flow of a page. */
export function MarkdownText({ text }: { text: string }): ReactElement {
  return (
    <div className="markdown">
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[showRaw, rehypeSanitize, showHidden]} components={COMPONENTS} urlTransform={(address) => address}>
        {text}
      </Markdown>
    </div>
  );
}

interface Heading {
  level: number;
  text: string;
  id: string;
}

/** Headings as they stand in the text, outside of code blocks. */
function headingsOf(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence = "";
  for (const line of text.split("\n")) {
    const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1] ?? "";
    if (mark !== "" && (fence === "" || line.trim().startsWith(fence))) fence = fence === "" ? mark.slice(0, 3) : "";
    const heading = fence === "" ? /^ {0,3}(#{1,4})\s+(.+?)\s*#*\s*$/.exec(line) : null;
    if (!heading) continue;
    const plain = (heading[2] ?? "").replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*_`~]/g, "");
    headings.push({ level: heading[1]?.length ?? 1, text: plain, id: slugOf(plain) });
    if (headings.length >= 500) break;
  }
  return headings;
}

function goTo(place: Element | null | undefined, id: string): void {
  for (const heading of place?.querySelectorAll<HTMLElement>("[data-heading]") ?? []) {
    if (heading.dataset["heading"] === id) {
      heading.scrollIntoView({ block: "start" });
      return;
    }
  }
}

type Props<Tag extends keyof React.JSX.IntrinsicElements> = ComponentPropsWithoutRef<Tag> & ExtraProps;

const COMPONENTS: Components = {
  a: ({ href, children }: Props<"a">) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }: Props<"img">) => <Picture src={typeof src === "string" ? src : undefined} alt={alt} />,
  pre: ({ children }: Props<"pre">) => <>{children}</>,
  code: ({ className, children }: Props<"code">) => {
    const text = textOf(children);
    const language = /language-(\S+)/.exec(className ?? "")?.[1];
    return language !== undefined || text.includes("\n") ? <CodeBlock text={text.replace(/\n$/, "")} language={language ?? ""} /> : <code>{children}</code>;
  },
  input: ({ checked }: Props<"input">) => <input type="checkbox" checked={checked ?? false} disabled aria-label={checked ? "done" : "to do"} />,
  table: ({ children }: Props<"table">) => <div className="markdown-table"><table>{children}</table></div>,
  h1: heading("h1"), h2: heading("h2"), h3: heading("h3"), h4: heading("h4"), h5: heading("h5"), h6: heading("h6"),
};

function heading(Tag: "h1" | "h2" | "h3" | "h4" | "h5" | "h6") {
  return function HeadingOf({ children }: { children?: ReactNode }): ReactElement {
    return <Tag data-heading={slugOf(textOf(children))}>{children}</Tag>;
  };
}

function Link({ href, children }: { href: string | undefined; children?: ReactNode }): ReactElement {
  const target = targetOf(href);
  if (target.kind === "inside") {
    const onClick = (event: MouseEvent<HTMLButtonElement>): void => goTo(event.currentTarget.closest(".markdown"), target.id);
    return <button type="button" className="markdown-inside" onClick={onClick}>{children}</button>;
  }
  if (target.kind === "none") return <span className="markdown-no-link" title={target.shown}>{children}</span>;
  const says = textOf(children);
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer" referrerPolicy="no-referrer" title={target.href}>
      {children}
      {!says.includes(target.host) && <span className="markdown-host"> ({target.host})</span>}
      <IconExternal size={11} />
    </a>
  );
}

function Picture({ src, alt }: { src: string | undefined; alt: string | undefined }): ReactElement {
  const name = alt || "picture";
  const isInside = src?.startsWith("data:") ?? false;
  return (
    <span className="markdown-picture" title={isInside ? "a picture inside of the text" : src}>
      <IconImage size={13} />
      {isInside ? name : <Link href={src}>{name}</Link>}
    </span>
  );
}

function CodeBlock({ text, language }: { text: string; language: string }): ReactElement {
  const [colored, setColored] = useState<ReactNode[] | undefined>(undefined);
  useEffect(() => {
    let isGone = false;
    void loadLanguage(languageNamed(language)).then((support) => {
      if (!support || isGone || text.length > 100_000) return;
      const parts: ReactNode[] = [];
      const put = (code: string, classes: string): void =>
        void parts.push(<span key={parts.length} className={classes || undefined}><Shown text={code} /></span>);
      highlightCode(text, support.language.parser.parse(text), classHighlighter, put, () => parts.push("\n"));
      setColored(parts);
    });
    return () => {
      isGone = true;
    };
  }, [text, language]);
  return (
    <pre className="markdown-code" tabIndex={0} aria-label={language === "" ? "code" : `${language} code`}>
      <code>{colored ?? <Shown text={text} />}</code>
    </pre>
  );
}

function textOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node);
  if (Array.isArray(node)) return node.map(textOf).join("");
  if (typeof node === "object" && node !== null && "props" in node) return textOf((node.props as { children?: ReactNode }).children);
  return "";
}

interface HastNode {
  type: string;
  value?: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: HastNode[];
}

/** Raw HTML as the text that it is, so that nothing in it is hidden; only a line break is one. */
function showRaw() {
  return (tree: HastNode): void => unraw(tree);
}

function unraw(node: HastNode): void {
  node.children = node.children?.map((child) => {
    if (child.type !== "raw") {
      unraw(child);
      return child;
    }
    const isBreak = /^<br\s*\/?>$/i.test(child.value ?? "");
    return isBreak ? { type: "element", tagName: "br", properties: {}, children: [] } : { type: "text", value: child.value ?? "" };
  });
}

/** Makes characters visible that are not seen, everywhere but in code, which does it itself. */
function showHidden() {
  return (tree: HastNode): void => walk(tree);
}

function walk(node: HastNode): void {
  if (!node.children || node.tagName === "code") return;
  node.children = node.children.flatMap((child) => {
    if (child.type !== "text" || child.value === undefined) {
      walk(child);
      return [child];
    }
    return pieces(child.value).map((piece): HastNode =>
      piece.isEscape
        ? { type: "element", tagName: "span", properties: { className: ["viewer-escape"] }, children: [{ type: "text", value: piece.text }] }
        : { type: "text", value: piece.text },
    );
  });
}
