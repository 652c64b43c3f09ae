// Buttons: a text one in three weights, and one that is only an icon and says its name by label and tooltip.

import type { ButtonHTMLAttributes, ReactElement, ReactNode, Ref } from "react";
import type { Icon } from "./icons";

type Native = ButtonHTMLAttributes<HTMLButtonElement>;

export interface ButtonProps extends Native {
  kind?: "primary" | "plain" | "quiet" | "danger";
  icon?: Icon;
  isSmall?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

export function Button({
  kind = "plain",
  icon: Picture,
  isSmall,
  children,
  className = "",
  ...rest
}: ButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      className={`ui-button ui-button-${kind} ${isSmall ? "ui-button-small" : ""} ${className}`}
    >
      {Picture && <Picture size={isSmall ? 14 : 16} />}
      {children}
    </button>
  );
}

export interface IconButtonProps extends Native {
  icon: Icon;
  label: string;
  isSmall?: boolean;
  /** For a button that stays pressed. */
  isPressed?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function IconButton({
  icon: Picture,
  label,
  isSmall,
  isPressed,
  className = "",
  ...rest
}: IconButtonProps): ReactElement {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      aria-pressed={isPressed}
      data-tip={label}
      className={`ui-icon-button ${isSmall ? "ui-icon-button-small" : ""} ${className}`}
    >
      <Picture size={isSmall ? 14 : 16} />
    </button>
  );
}
