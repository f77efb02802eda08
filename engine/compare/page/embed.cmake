# Writes a .cc file that holds the bytes of files:
#   cmake -DOUTPUT=embedded.cc -DFILES="kName=path;…" -P embed.cmake
set(text "// Made by embed.cmake.\n#include \"engine/compare/page_parts.h\"\n\nnamespace braid {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" found "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}Bytes[] = {${bytes}};\n"
                     "std::string_view ${name}() {\n"
                     "  return {reinterpret_cast<const char*>(${name}Bytes), sizeof(${name}Bytes)};\n}\n\n")
endforeach()
file(WRITE "${OUTPUT}" "${text}}  // namespace braid\n")
