#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace fiber::plan {

// A claimed folder belongs to one process, and everybody can see whether that process lives: a file in it is
// locked (flock) for as long. It is made under a hidden name (a dot in front) and renamed when the lock is
// held, so a visible folder has an owner from its first moment. It is renamed back before it is removed.
// Hidden folders are thus half made or half removed, and anybody may remove them; an owner that lost its half
// made folder makes another.

/// Makes `parent`/`name` (0700) and locks it. Nothing if that name is taken. Throws fiber::Error.
std::optional<base::Fd> claim_folder(const std::filesystem::path& parent, const std::string& name);

/// True if the owner of a visible folder lives. False also if the folder is gone.
bool folder_is_claimed(const std::filesystem::path& folder);

/// Removes a visible folder whose owner is dead, with all in it. False if it was not ours to remove.
bool remove_unclaimed(const std::filesystem::path& folder);

/// Removes a folder by its owner, who holds `lock`.
void remove_claimed(const std::filesystem::path& folder, base::Fd lock);

/// Names of the visible folders in `parent`. Removes hidden ones that have been lying there for a minute.
std::vector<std::string> list_folders(const std::filesystem::path& parent);

/// Makes sure that `folder` is there, a real folder of mode 0700, and the caller's. `narrow`: a wider mode is
/// put right instead of refused, and a symbolic link to such a folder will do. `advice` ends the message of
/// the fiber::Error.
void require_private_folder(const std::filesystem::path& folder, bool narrow, const std::string& advice);

}  // namespace fiber::plan
