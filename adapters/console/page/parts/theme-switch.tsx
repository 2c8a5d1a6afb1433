import { useState } from 'preact/hooks';
import { currentTheme, type Theme, themes, wear } from '../state/theme.ts';
import { Icon, type IconName } from './icons.tsx';

const looks: Readonly<Record<Theme, { readonly icon: IconName; readonly label: string }>> = {
  system: { icon: 'screen', label: 'Colours as on this machine' },
  light: { icon: 'sun', label: 'Light' },
  dark: { icon: 'moon', label: 'Dark' },
};

/** System, light, dark, in turn; remembered. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(currentTheme());
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const choose = () => {
    wear(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="icon-button theme-switch"
      aria-label={`Colours: ${looks[theme].label}. Change to ${looks[next].label}`}
      title={looks[theme].label}
      onClick={choose}
    >
      <Icon name={looks[theme].icon} size={16} />
    </button>
  );
}
